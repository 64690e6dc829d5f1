# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""A headless Chromium that opens local files, over a pipe by its DevTools protocol: no port, no package.

What the pages complain of is kept in `complaints`: errors and warnings of the console, exceptions, refused content, and
each address that is asked for over a network.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--hide-scrollbars", "--force-device-scale-factor=1", "--remote-debugging-pipe")
LOCAL = ("file:", "data:", "about:")


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, program, deadline_s=220):
        self.deadline = time.monotonic() + deadline_s
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.complaints, self.received, self.number = [], b"", 0
        theirs_in, self.out = os.pipe()
        self.incoming, theirs_out = os.pipe()
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = [program, *SWITCHES, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command], pass_fds=(theirs_in, theirs_out), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in pages if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # else focus tells nobody where no window has it
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        os.close(self.incoming)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # the group that was started above
        except ProcessLookupError:
            pass
        self.process.wait()
        self.folder.cleanup()

    def _message(self):
        while b"\0" not in self.received:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.incoming], [], [], left)[0]:
                raise TimeoutError("the browser did not answer before the deadline")
            piece = os.read(self.incoming, 1 << 20)
            if not piece:
                raise ConnectionError("the browser has ended")
            self.received += piece
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(one.get("value", one.get("description"))) for one in what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not what["request"]["url"].startswith(LOCAL):
            self.complaints.append(f"asks for {what['request']['url'][:200]}")
        return method

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self._message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def shape(self, width, height, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1.5 if phone else 1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.settle()

    def open(self, path):
        """Returns when the page and its scripts have run."""
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self._note(self._message()) != "Page.loadEventFired":
            pass
        self.settle()

    def settle(self):
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['result'].get('description')}")
        return answer["result"].get("value")

    def mouse(self, what, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, **more)

    def press(self, key, **more):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def paper(self, path):
        pdf = self.call("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)  # A4, in inches
        pathlib.Path(path).write_bytes(base64.b64decode(pdf["data"]))
