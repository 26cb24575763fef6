//! Write a Lagrangian as text; get its equations and a structure-preserving simulation.
