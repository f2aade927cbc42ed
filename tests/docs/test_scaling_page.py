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
    kinds = ["NetworkPolicy", "Service", "Deployment", "Deployment", "PersistentVolumeClaim", "Job"]
    assert [document["kind"] for document in documents] == kinds


def test_scripts_can_be_read_by_a_shell() -> None:
    for name in ("workers.sh", "workers.sbatch"):
        subprocess.run(["sh", "-n", str(WORKERS / name)], check=True)


def test_pods_have_no_rights_that_they_do_not_need() -> None:
    documents = list(yaml.safe_load_all((WORKERS / "kubernetes.yaml").read_text()))
    pods = [one["spec"]["template"] for one in documents if "template" in one.get("spec", {})]
    policy = documents[0]["spec"]["podSelector"]["matchLabels"]
    assert len(pods) == 3
    for pod in pods:
        assert policy.items() <= pod["metadata"]["labels"].items()
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        (container,) = pod["spec"]["containers"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
