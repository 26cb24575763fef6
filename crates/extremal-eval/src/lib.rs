//! Expression graph to straight-line programs and their evaluators.
