# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Times the update of speed.cu in PyTorch, eager and compiled: prints a line `figure` for each."""
import torch

COUNT = (64 << 20) // 2


def update(first, second, weights, copy):
    gradient = (first.float() + second.float()) * 0.5
    weights.mul_(1 - 0.1 * 0.01).sub_(gradient, alpha=0.1)
    copy.copy_(weights)


def microseconds(step):
    sets = [(torch.randn(COUNT, device="cuda").bfloat16(), torch.randn(COUNT, device="cuda").bfloat16(),
             torch.randn(COUNT, device="cuda"), torch.empty(COUNT, device="cuda", dtype=torch.bfloat16))
            for _ in range(2)]
    for _ in range(3):
        step(*sets[0])
    times = []
    for i in range(15):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for k in range(10):
            step(*sets[(i + k) % 2])
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 100)
    return sorted(times)[7]


print(f"fact\tPyTorch\t{torch.__version__}", flush=True)
print(f"figure\tupdate by PyTorch, eager\t{microseconds(update):.6g}\tus\t\tyes", flush=True)
print(f"figure\tupdate by torch.compile\t{microseconds(torch.compile(update)):.6g}\tus\t\tyes", flush=True)
