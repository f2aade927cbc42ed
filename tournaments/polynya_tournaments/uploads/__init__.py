"""Programs that authors hand in: their archives and their manifests."""
