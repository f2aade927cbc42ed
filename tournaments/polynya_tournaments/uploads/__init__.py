"""Programs that authors upload: their archives and their manifests."""
