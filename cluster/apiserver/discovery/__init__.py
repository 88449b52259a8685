"""What is served, for clients that look: a document for each group and version (`plain`), or all in one
(`aggregated`), whichever a client accepts (`answer`)."""
