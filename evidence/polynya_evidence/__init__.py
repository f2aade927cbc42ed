"""Published results and their proof: analyses, reports, bundles, exchange."""
