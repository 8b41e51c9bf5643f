"""Records of measurements (benchmarks/records) and the tables that are made of them."""
