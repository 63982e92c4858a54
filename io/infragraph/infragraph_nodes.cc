// SPDX-License-Identifier: GPL-2.0-only
#include "io/infragraph/infragraph_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// "host[0:8:2]" taken apart. `indices`: which of `count` it selects.
struct InfraSlice {
  std::string name;
  std::vector<std::uint32_t> indices;
};

constexpr int kMostDepth = 8;  // of devices within devices

class InfragraphExpansion {
 public:
  explicit InfragraphExpansion(const Infrastructure& all) : all_(all) {
    for (const InfraDevice& device : all.devices) {
      if (!devices_.emplace(device.name, &device).second)
        Fail(0, fmt::format("two devices '{}'", Printable(device.name)), "one of each name");
    }
  }

  InfraNodes Expand() {
    for (const InfraInstance& instance : all_.instances) AddInstance(instance);
    for (const InfraEdge& edge : all_.edges) {
      const std::vector<std::uint32_t> a = EndsOf(edge, edge.a), b = EndsOf(edge, edge.b);
      Join(edge, a, b, LinkOf(all_.links, edge));
    }
    return std::move(nodes_);
  }

 private:
  /// Where the nodes of a device begin: of each component, by its place.
  struct Layout {
    const InfraDevice* device = nullptr;
    std::vector<std::uint32_t> first;                ///< node of index 0; devices: unused
    std::vector<std::vector<std::size_t>> children;  ///< layouts by index, of devices
  };

  [[noreturn]] void Fail(std::int64_t line, const std::string& found,
                         const std::string& expected) const {
    FailInput({all_.file, line}, found, expected);
  }

  void AddInstance(const InfraInstance& instance) {
    if (!instances_.emplace(instance.name, &instance).second)
      Fail(instance.line, fmt::format("two instances '{}'", Printable(instance.name)),
           "one of each name");
    std::vector<std::size_t>& layouts = layouts_of_[instance.name];
    for (std::uint32_t i = 0; i < instance.count; ++i) {
      const Place place{fmt::format("{}.{}", instance.name, i), instance.line, 0, true};
      layouts.push_back(AddDevice(instance.device, place));
    }
  }

  /// Where a device is: its name for people, the line that asks for it, how many devices it is
  /// within, and whether it begins a box.
  struct Place {
    std::string name;
    std::int64_t line = 0;
    int depth = 0;
    bool begins = false;
  };

  void BeginBox(const std::string& name) { nodes_.boxes.push_back({name}); }

  /// Whether a device has GPUs, at any depth.
  bool HasGpus(const InfraDevice& device, int depth = 0) const {
    return std::any_of(device.components.begin(), device.components.end(), [&](const auto& c) {
      if (c.kind != InfraKind::kDevice) return c.kind == InfraKind::kGpu;
      const auto inner = devices_.find(c.name);
      return inner != devices_.end() && depth <= kMostDepth && HasGpus(*inner->second, depth + 1);
    });
  }
  /// Whether it is a rack or the like: its GPUs are in devices of their own.
  bool IsContainer(const InfraDevice& device) const {
    return HasGpus(device) &&
           std::none_of(device.components.begin(), device.components.end(),
                        [](const InfraComponent& c) { return c.kind == InfraKind::kGpu; });
  }

  std::size_t AddDevice(const std::string& name, const Place& at) {
    const std::int64_t line = at.line;
    const auto found = devices_.find(name);
    if (found == devices_.end())
      Fail(line, fmt::format("no device '{}'", Printable(name)), "the name of a device");
    if (at.depth > kMostDepth)
      Fail(line, fmt::format("device '{}' within {} others", Printable(name), kMostDepth),
           "devices that do not contain themselves");
    const std::size_t number = layouts_.size();
    layouts_.push_back({found->second, {}, {}});
    const bool contains = IsContainer(*found->second);
    if (at.begins && !contains) BeginBox(at.name);
    for (const InfraComponent& component : found->second->components)
      AddComponent(number, component, {at.name, line, at.depth + 1, contains});
    const Layout layout = layouts_[number];  // a copy: the vector may move
    for (const InfraEdge& edge : layout.device->edges) {
      std::vector<std::uint32_t> a, b;
      Collect(number, edge.a.component, edge.line, &a);
      Collect(number, edge.b.component, edge.line, &b);
      Join(edge, a, b, LinkOf(layout.device->links, edge));
    }
    return number;
  }

  /// `inner`: of what the component is made of; its name is that of the device around it.
  void AddComponent(std::size_t layout, const InfraComponent& component, const Place& inner) {
    layouts_[layout].first.push_back(static_cast<std::uint32_t>(nodes_.nodes.size()));
    std::vector<std::size_t> children;
    for (std::uint32_t i = 0; i < component.count; ++i) {
      Place place = inner;
      place.name = fmt::format("{}.{}.{}", inner.name, component.name, i);
      if (component.kind == InfraKind::kDevice) {
        children.push_back(AddDevice(component.name, place));
      } else {
        if (place.begins) BeginBox(place.name);
        const auto box = static_cast<std::uint32_t>(nodes_.boxes.size() - 1);
        nodes_.nodes.push_back({component.kind, box, &component, i});
      }
      if (std::max(layouts_.size(), nodes_.nodes.size()) > kMostInfraNodes) TooMany(inner.line);
    }
    layouts_[layout].children.push_back(std::move(children));
  }
  [[noreturn]] void TooMany(std::int64_t line) const {
    Fail(line, fmt::format("more than {} components", kMostInfraNodes), "fewer");
  }

  /// Name and indices of "host[0:2]", "host[3]" or "host", which is all of `count`.
  InfraSlice SliceOf(const std::string& text, std::int64_t line, std::uint32_t count) const {
    InfraSlice slice;
    const std::size_t bracket = text.find('[');
    slice.name = text.substr(0, bracket);
    std::int64_t begin = 0, end = count, step = 1;
    if (bracket != std::string::npos) {
      if (text.back() != ']') Fail(line, fmt::format("'{}'", Printable(text)), "NAME[BEGIN:END]");
      const std::string inner = text.substr(bracket + 1, text.size() - bracket - 2);
      std::vector<std::string> parts;
      for (std::size_t at = 0; at <= inner.size();) {
        const std::size_t colon = std::min(inner.find(':', at), inner.size());
        parts.push_back(inner.substr(at, colon - at));
        at = colon + 1;
      }
      const auto number = [&](std::size_t i, std::int64_t otherwise) {
        if (i >= parts.size() || parts[i].empty()) return otherwise;
        const auto read = ReadNumber<std::int64_t>(parts[i]);
        if (!read || *read < 0)
          Fail(line, fmt::format("'{}'", Printable(text)), "NAME[BEGIN:END] with numbers from 0");
        return *read;
      };
      begin = number(0, 0);
      end = parts.size() == 1 ? begin + 1 : number(1, count);
      step = number(2, 1);
      if (parts.size() > 3 || step == 0 || (parts.size() == 1 && parts[0].empty()))
        Fail(line, fmt::format("'{}'", Printable(text)), "NAME[BEGIN:END] or NAME[BEGIN:END:STEP]");
    }
    if (end > count)
      Fail(line, fmt::format("'{}', of which there are {}", Printable(text), count),
           "indices below the count");
    for (std::int64_t i = begin; i < end; i += step)
      slice.indices.push_back(static_cast<std::uint32_t>(i));
    return slice;
  }

  /// Appends the nodes of a path of components, such as "cx5[0:2].port[0]".
  void Collect(std::size_t layout, const std::string& path, std::int64_t line,
               std::vector<std::uint32_t>* out) const {
    const std::size_t dot = path.find('.');
    const std::string word = path.substr(0, dot);
    const Layout& of = layouts_[layout];
    const auto& components = of.device->components;
    const std::string name = word.substr(0, word.find('['));
    const auto found = std::find_if(components.begin(), components.end(),
                                    [&](const InfraComponent& c) { return c.name == name; });
    if (found == components.end())
      Fail(line,
           fmt::format("device '{}' has no component '{}'", Printable(of.device->name),
                       Printable(name)),
           "the name of a component");
    const auto place = static_cast<std::size_t>(found - components.begin());
    const bool is_device = found->kind == InfraKind::kDevice;
    if (is_device != (dot != std::string::npos))
      Fail(line, fmt::format("'{}'", Printable(path)),
           is_device ? "DEVICE.COMPONENT, as it is a device" : "a component, as it is no device");
    for (const std::uint32_t i : SliceOf(word, line, found->count).indices) {
      if (is_device) {
        Collect(of.children[place][i], path.substr(dot + 1), line, out);
      } else {
        out->push_back(of.first[place] + i);
      }
      if (out->size() > kMostInfraNodes) TooMany(line);
    }
  }

  std::vector<std::uint32_t> EndsOf(const InfraEdge& edge, const InfraEnd& end) const {
    const std::string name = end.instance.substr(0, end.instance.find('['));
    const auto found = instances_.find(name);
    if (found == instances_.end())
      Fail(edge.line, fmt::format("no instance '{}'", Printable(name)), "the name of an instance");
    std::vector<std::uint32_t> ends;
    const std::vector<std::size_t>& layouts = layouts_of_.at(name);
    for (const std::uint32_t i : SliceOf(end.instance, edge.line, found->second->count).indices)
      Collect(layouts[i], end.component, edge.line, &ends);
    return ends;
  }

  const InfraLink* LinkOf(const std::vector<InfraLink>& links, const InfraEdge& edge) const {
    for (const InfraLink& link : links) {
      if (link.name == edge.link) return &link;
    }
    Fail(edge.line, fmt::format("no link '{}'", Printable(edge.link)),
         "the name of a link of the same device, or of the infrastructure");
  }

  void Join(const InfraEdge& edge, const std::vector<std::uint32_t>& a,
            const std::vector<std::uint32_t>& b, const InfraLink* link) {
    if (edge.scheme == InfraEdge::Scheme::kManyToMany) {
      for (const std::uint32_t x : a) {
        for (const std::uint32_t y : b) AddCable(edge, x, y, link);
      }
      return;
    }
    if (edge.scheme == InfraEdge::Scheme::kRing) {
      std::vector<std::uint32_t> all = a;
      for (const std::uint32_t y : b) {
        if (std::find(a.begin(), a.end(), y) == a.end()) all.push_back(y);
      }
      for (std::size_t i = 0; i < all.size(); ++i)
        AddCable(edge, all[i], all[(i + 1) % all.size()], link);
      return;
    }
    if (a.size() != b.size())
      Fail(edge.line, fmt::format("one2one with {} ends and {}", a.size(), b.size()),
           "as many on either side");
    for (std::size_t i = 0; i < a.size(); ++i) AddCable(edge, a[i], b[i], link);
  }

  void AddCable(const InfraEdge& edge, std::uint32_t a, std::uint32_t b, const InfraLink* link) {
    if (a == b || !pairs_.insert(std::minmax(a, b)).second) return;
    const bool inside = nodes_.nodes[a].box == nodes_.nodes[b].box;
    (inside ? nodes_.inside : nodes_.between).push_back({a, b, link, edge.line});
    if (pairs_.size() > kMostInfraNodes)
      Fail(edge.line, fmt::format("more than {} edges", kMostInfraNodes), "fewer");
  }

  const Infrastructure& all_;
  std::map<std::string, const InfraDevice*> devices_;
  std::map<std::string, const InfraInstance*> instances_;
  std::map<std::string, std::vector<std::size_t>> layouts_of_;  ///< by instance
  std::vector<Layout> layouts_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  InfraNodes nodes_;
};

}  // namespace

InfraNodes ExpandInfragraph(const Infrastructure& all) { return InfragraphExpansion(all).Expand(); }

}  // namespace heddle
