"""Our own cases: for every action one that fits and one that does not, for every refusal one that meets it."""
