"""The files for workers that scaling.md explains are what their systems take."""

from __future__ import annotations

import subprocess

import kubernetes_validate  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]
from tests.folders import ROOT

WORKERS = ROOT / "examples" / "workers"
VERSION = "1.34"


def test_manifests_follow_the_schemas_of_kubernetes() -> None:
    documents = list(yaml.safe_load_all((WORKERS / "kubernetes.yaml").read_text()))
    for document in documents:
        kubernetes_validate.validate(document, VERSION, strict=True)
    kinds = ["Service", "Deployment", "Deployment", "PersistentVolumeClaim", "Job"]
    assert [document["kind"] for document in documents] == kinds


def test_scripts_can_be_read_by_a_shell() -> None:
    for name in ("workers.sh", "workers.sbatch"):
        subprocess.run(["sh", "-n", str(WORKERS / name)], check=True)
