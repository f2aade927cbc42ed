"""Publishes results and proves them: analyses, reports, bundles, exchange."""
