// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "draw/space_time.hpp"
#include "draw/table.hpp"
#include "draw/timeline.hpp"
#include "draw/trees.hpp"

/// Pictures of schedules. A program becomes a timeline of rounds. From that are made
/// - `table_of`: text for a terminal, a line a round;
/// - `space_time_svg`: ranks as lines, time downwards, messages as arrows, reductions as dots;
/// - `trees_svg`: data that travel along trees, as these trees.
/// The SVG stands for itself: no script, no font, no file but its own; it follows the reader's light or dark colours.
/// Drawings of one program are the same to the byte, wherever they are made.
namespace tutti::schedule::draw {}
