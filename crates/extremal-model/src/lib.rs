//! The model file and its builder: what the user states, validated, with source spans.
