# SPDX-License-Identifier: Apache-2.0
"""Model Explorer's adapter: nodes of ONNX files grouped by module, whatever exporter wrote them.

    model-explorer bert.onnx --extensions=onnx_hier.model_explorer

Its API: the wiki of google-ai-edge/model-explorer, "Develop Adapter Extension". Only Model Explorer
imports this file, which brings what it imports.
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Dict

from model_explorer import Adapter, AdapterMetadata, ModelExplorerGraphs  # type: ignore
from model_explorer.types import GraphCollection  # type: ignore


class OnnxHierAdapter(Adapter):
    metadata = AdapterMetadata(
        id="onnx_hier",
        name="ONNX by module",
        description="Nodes of ONNX files in the modules of the network that was exported.",
        fileExts=["onnx"],
    )

    def __init__(self) -> None:
        super().__init__()

    def convert(self, model_path: str, settings: Dict[str, Any]) -> ModelExplorerGraphs:
        program = Path(__file__).with_name("onnx-hier")
        made = subprocess.run(
            [program, "export", model_path, "--format", "model-explorer", "-o", "-"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if made.returncode != 0:
            raise ValueError(made.stderr.decode("utf-8", "replace").strip())
        told = json.loads(made.stdout)
        return {"graphCollections": [GraphCollection(label=told["label"], graphs=told["graphs"])]}
