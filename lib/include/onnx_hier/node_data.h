// SPDX-License-Identifier: Apache-2.0

// What nodes of a drawn graph are coloured by.
#ifndef ONNX_HIER_NODE_DATA_H_
#define ONNX_HIER_NODE_DATA_H_

#include <string>
#include <vector>

#include "onnx_hier/findings.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/profile.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

// A number or a text for some of them.
struct NodeData {
  struct Item {
    NodeId node;
    double number = 0;
    std::string text;  // in its place, where there is one
  };
  std::string name;
  std::vector<Item> items;
  // Colours of the least and the greatest number; "": none.
  std::string least_colour;
  std::string greatest_colour;
  // In words, what of all there is no node has; "": nothing.
  std::string left_out;
};

// How sure the module of each node is.
NodeData ConfidenceData(const Hierarchy& hierarchy);
// Microseconds of one run, of nodes that kernels of a profile stand for. Where kernels have no
// node, the name says what is left out.
NodeData TimeData(const Graph& graph, const Profile& profile, const ModuleTimes& times);
// Where nodes belong whose tags are wrong; `found` of FindContamination(graph, ..., tags).
NodeData FindingData(const Tags& tags, const std::vector<Finding>& found);

}  // namespace onnx_hier

#endif  // ONNX_HIER_NODE_DATA_H_
