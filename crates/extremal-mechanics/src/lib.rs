//! Model to equations: continuous mechanics, discrete schemes, analysis; all symbolic.
