#include "ui/editors/topology_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/study/metric.h"
#include "ui/editors/field.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/sourced_number.h"
#include "ui/editors/tab_order.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole;

const JsonPath& topologyPath() {
    static const JsonPath kPath{"topology"};
    return kPath;
}

JsonPath pathOfItem(const QTreeWidgetItem* item) {
    JsonPath path;
    for (const QString& step : item->data(0, kPathRole).toStringList()) path.push_back(step.toStdString());
    return path;
}

QStringList asList(const JsonPath& path) {
    QStringList list;
    for (const std::string& step : path) list << toQt(step);
    return list;
}

bool isTree(const Json& document) {
    const auto found = document.find("topology");
    return found != document.end() && found->is_object();
}

QString rateText(const Json& node, const char* key, Measure measure) {
    if (!node.is_object() || !node.contains(key)) return {};
    FieldRow row;
    row.measure = measure;
    return shownValue(node.at(key), row);
}

}  // namespace

TopologyEditor::TopologyEditor(EditedJson* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      shape_(new QComboBox(this)),
      tree_(new QTreeWidget(this)),
      details_(new QWidget(this)),
      rate_(new QuantityField(Measure::bitsPerSecond, {.minExcluded = true}, details_)),
      latency_(new QuantityField(Measure::seconds, {}, details_)),
      reason_(new QLabel(this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(1));
    auto* head = bareLayout<QHBoxLayout>(theme().spacing(1));
    auto* title = new QLabel(u"Topology"_s, this);
    title->setFont(theme().font(Theme::Text::base, true));
    title->setBuddy(shape_);
    shape_->addItem(u"Flat: every group reaches every other"_s, false);
    shape_->addItem(u"Tree: groups joined level by level"_s, true);
    shape_->setAccessibleName(u"Topology"_s);
    setFocusProxy(shape_);
    join_ = button(u"link"_s, u"Join the selected members below a node of their own"_s);
    apart_ = button(u"expand"_s, u"Take the selected node apart"_s);
    head->addWidget(title);
    head->addStretch(1);
    head->addWidget(shape_);
    head->addWidget(join_);
    head->addWidget(apart_);
    layout->addLayout(head);
    tree_->setColumnCount(3);
    tree_->setHeaderLabels({u"Node or group"_s, u"Rate"_s, u"Latency"_s});
    for (const int column : {1, 2}) tree_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    tree_->setAccessibleName(u"Tree of the topology"_s);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    layout->addWidget(tree_);
    auto* fields = bareLayout<QHBoxLayout>(details_);
    for (const auto& [label, field] : {std::pair(u"Rate of the node"_s, rate_), std::pair(u"Latency"_s, latency_)}) {
        auto* text = new QLabel(label, details_);
        setLook(*text, "tone", u"secondary"_s);
        text->setBuddy(field);
        field->setAccessibleName(label);
        fields->addWidget(text);
        fields->addWidget(field, 1);
    }
    rate_->setPlaceholderText(u"the slower end's"_s);
    latency_->setPlaceholderText(u"0 s"_s);
    layout->addWidget(details_);
    reason_->setTextFormat(Qt::PlainText);
    reason_->setWordWrap(true);
    setLook(*reason_, "letters", u"caption"_s);
    setLook(*reason_, "tone", u"bad"_s);
    reason_->hide();
    layout->addWidget(reason_);

    connect(shape_, &QComboBox::activated, this, [this](int at) { setTree(shape_->itemData(at).toBool()); });
    connect(join_, &QToolButton::clicked, this, &TopologyEditor::joinSelected);
    connect(apart_, &QToolButton::clicked, this, &TopologyEditor::takeApart);
    connect(tree_, &QTreeWidget::itemSelectionChanged, this, &TopologyEditor::showCurrent);
    const auto edits = [this](QuantityField* field, const char* key, const QString& title_) {
        connect(field, &QuantityField::edited, this, [this, field, key, title_] {
            const QTreeWidgetItem* item = tree_->currentItem();
            if (item == nullptr) return;
            const JsonPath path = joinedPath(pathOfItem(item), {key});
            const Json* now = valueAt(document_->json(), path);
            document_->set(path, setByHand(now == nullptr ? Json() : *now, field->json()), title_);
        });
        connect(field, &QLineEdit::editingFinished, document_, &EditedJson::endTyping);
    };
    edits(rate_, "bits_per_s", u"rate of a node"_s);
    edits(latency_, "latency_s", u"latency of a node"_s);
    connect(document, &EditedJson::changed, this, &TopologyEditor::refresh);
    refresh();
    orderTabs({shape_, join_, apart_, tree_, rate_, latency_});
}

QToolButton* TopologyEditor::button(const QString& icon, const QString& title) {
    auto* made = new QToolButton(this);
    made->setIcon(theme().icon(icon, "secondary"));
    made->setToolTip(title);
    made->setAccessibleName(title);
    return made;
}

void TopologyEditor::setTree(bool tree) {
    if (tree == isTree(document_->json())) return;
    document_->endTyping();
    document_->change(u"topology"_s, [&](Json& json) {
        if (!tree) {
            json["topology"] = "flat";
            return;
        }
        Json names = Json::array();
        if (json.contains("groups") && json.at("groups").is_array())
            for (const Json& group : json.at("groups"))
                if (group.is_object() && group.contains("name")) names.push_back(group.at("name"));
        json["topology"] = Json{{"node", names}};
    });
}

void TopologyEditor::add(const Json& node, const JsonPath& path, QTreeWidgetItem* parent) {
    auto* item = parent == nullptr ? new QTreeWidgetItem(tree_) : new QTreeWidgetItem(parent);
    item->setData(0, kPathRole, asList(path));
    if (node.is_string()) {
        item->setText(0, toQt(escaped(node.get_ref<const std::string&>())));
        item->setIcon(0, theme().icon(u"accelerator"_s, "secondary"));
        return;
    }
    item->setIcon(0, theme().icon(u"fleet"_s, "secondary"));
    item->setText(1, rateText(node, "bits_per_s", Measure::bitsPerSecond));
    item->setText(2, rateText(node, "latency_s", Measure::seconds));
    for (const int column : {1, 2}) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    const auto below = node.is_object() ? node.find("node") : node.end();
    const bool any = node.is_object() && below != node.end() && below->is_array();
    item->setText(0, parent == nullptr ? u"All groups"_s
                                       : u"Node of %1"_s.arg(counted(any ? static_cast<double>(below->size()) : 0,
                                                                     "member", "members")));
    for (std::size_t i = 0; any && i < below->size(); ++i)
        add((*below)[i], joinedPath(path, {"node", std::to_string(i)}), item);
    item->setExpanded(true);
}

void TopologyEditor::refresh() {
    const bool tree = isTree(document_->json());
    shape_->setCurrentIndex(tree ? 1 : 0);
    const QStringList current =
        tree_->currentItem() == nullptr ? QStringList() : tree_->currentItem()->data(0, kPathRole).toStringList();
    {
        const QSignalBlocker quiet(tree_);
        tree_->clear();
        if (tree) add(document_->json().at("topology"), topologyPath(), nullptr);
        int rows = 0;
        for (QTreeWidgetItemIterator each(tree_); *each != nullptr; ++each, ++rows)
            if ((*each)->data(0, kPathRole).toStringList() == current) tree_->setCurrentItem(*each);
        const int row = std::max(tree_->sizeHintForRow(0), theme().size("row"));
        tree_->setFixedHeight(row * std::min(rows, kMaxVisibleRows) + tree_->header()->sizeHint().height() +
                              theme().spacing(2));
    }
    tree_->setVisible(tree);
    join_->setVisible(tree);
    apart_->setVisible(tree);
    showCurrent();
}

void TopologyEditor::showCurrent() {
    const QTreeWidgetItem* item = tree_->currentItem();
    const Json* node = item == nullptr ? nullptr : valueAt(document_->json(), pathOfItem(item));
    const bool inner = node != nullptr && node->is_object();
    details_->setVisible(inner && !tree_->isHidden());
    join_->setEnabled(tree_->selectedItems().size() > 1);
    apart_->setEnabled(inner && item->parent() != nullptr);
    if (!inner) return;
    const auto show = [&](QuantityField* field, const char* key) {
        const Json value = node->contains(key) ? plainValue(node->at(key)) : Json();
        if (value.is_string())
            field->setRawText(toQt(value.get<std::string>()));
        else
            field->setQuantity(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
    };
    show(rate_, "bits_per_s");
    show(latency_, "latency_s");
}

void TopologyEditor::joinSelected() {
    const QList<QTreeWidgetItem*> items = tree_->selectedItems();
    if (items.size() < 2) return;
    QTreeWidgetItem* parent = items.front()->parent();
    std::vector<std::size_t> positions;
    for (QTreeWidgetItem* item : items) {
        if (parent == nullptr || item->parent() != parent) return;
        positions.push_back(static_cast<std::size_t>(parent->indexOfChild(item)));
    }
    // All of them joined would be the node they are in already.
    if (static_cast<int>(positions.size()) == parent->childCount()) return;
    std::sort(positions.begin(), positions.end());
    const JsonPath members = joinedPath(pathOfItem(parent), {"node"});
    document_->endTyping();
    document_->change(u"join groups"_s, [&](Json& json) {
        Json below = *valueAt(json, members);
        Json joined = Json::array();
        Json kept = Json::array();
        for (std::size_t i = 0; i < below.size(); ++i) {
            const bool chosen = std::find(positions.begin(), positions.end(), i) != positions.end();
            (chosen ? joined : kept).push_back(below[i]);
        }
        kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(positions.front()), Json{{"node", joined}});
        setValue(json, members, kept);
    });
}

void TopologyEditor::takeApart() {
    const QTreeWidgetItem* item = tree_->currentItem();
    if (item == nullptr || item->parent() == nullptr) return;
    const JsonPath path = pathOfItem(item);
    const JsonPath members = joinedPath(pathOfItem(item->parent()), {"node"});
    const auto position = static_cast<std::size_t>(item->parent()->indexOfChild(const_cast<QTreeWidgetItem*>(item)));
    const Json* node = valueAt(document_->json(), joinedPath(path, {"node"}));
    if (node == nullptr || !node->is_array()) return;
    document_->endTyping();
    document_->change(u"take a node apart"_s, [&, inner = *node](Json& json) {
        Json below = *valueAt(json, members);
        below.erase(position);
        below.insert(below.begin() + static_cast<std::ptrdiff_t>(position), inner.begin(), inner.end());
        setValue(json, members, below);
    });
}

void TopologyEditor::setProblems(const Problems& problems) {
    QString reason;
    for (const Problem& problem : problems)
        if (problem.field.starts_with("topology")) reason = problem.sentence;
    reason_->setText(reason);
    reason_->setVisible(!reason.isEmpty());
}

}  // namespace tessera::ui
