#include "ui/editors/inner_list_editor.h"

#include <QItemSelectionModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

InnerListEditor::InnerListEditor(InnerList inner, EditedJson* document, ListEditor* list, QWidget* parent)
    : QWidget(parent),
      inner_(std::move(inner)),
      document_(document),
      list_(list),
      place_(bareLayout<QVBoxLayout>(this, 0)) {
    connect(list_->view()->selectionModel(), &QItemSelectionModel::currentChanged, this, &InnerListEditor::refresh);
    connect(document_, &EditedJson::changed, this, &InnerListEditor::refresh);
    refresh();
}

int InnerListEditor::row() const {
    const int rows = list_->model()->rowCount();
    return rows == 0 ? -1 : std::clamp(list_->view()->currentIndex().row(), 0, rows - 1);
}

QString InnerListEditor::entryName() const {
    JsonPath path = pathOf(list_->model()->spec().path);
    path.push_back(std::to_string(row()));
    path.emplace_back("name");
    const Json* name = valueAt(document_->json(), path);
    return name != nullptr && name->is_string() ? shownText(name->get_ref<const std::string&>(), 80)
                                                : u"row %1"_s.arg(row() + 1);
}

void InnerListEditor::refresh() {
    const int now = row();
    const QString name = now < 0 ? QString() : entryName();
    if (std::exchange(shownRow_, now) == now && std::exchange(shownName_, name) == name) return;
    shownName_ = name;
    if (shown_ != nullptr) {
        shown_->hide();
        shown_->deleteLater();
        shown_ = nullptr;
    }
    setVisible(now >= 0);
    if (now < 0) return;
    ListSpec spec = inner_.at(list_->model()->spec().path + '.' + std::to_string(now) + '.' + inner_.key);
    spec.title = u"%1 of %2"_s.arg(inner_.title, name);
    shown_ = new ListEditor(document_, spec, this);
    place_->addWidget(shown_);
    shown_->show();  // now, not with the next event: what goes to one of its cells needs it
    shown_->setProblems(problems_);
}

void InnerListEditor::setProblems(const Problems& problems) {
    problems_ = problems;
    if (shown_ != nullptr) shown_->setProblems(problems);
}

QWidget* InnerListEditor::goTo(const std::string& field) {
    const JsonPath list = pathOf(list_->model()->spec().path);
    const JsonPath path = pathFromDotted(document_->json(), field);
    if (path.size() < list.size() + 2 || !std::equal(list.begin(), list.end(), path.begin()) ||
        path[list.size() + 1] != inner_.key)
        return nullptr;
    const int wanted = toQt(path[list.size()]).toInt();
    const QModelIndex now = list_->view()->currentIndex();
    if (now.row() != wanted) list_->view()->setCurrentIndex(list_->model()->index(wanted, std::max(now.column(), 0)));
    if (shown_ == nullptr) return nullptr;
    if (!shown_->goTo(field)) shown_->setFocus(Qt::OtherFocusReason);
    return shown_;
}

}  // namespace tessera::ui
