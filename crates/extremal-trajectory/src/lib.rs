//! Trajectories as records: drift of invariants, files, plots, summaries.
