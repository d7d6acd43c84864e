#include "ui/editors/provenance_button.h"

#include <QComboBox>
#include <QFormLayout>
#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/hardware/numbers.h"
#include "ui/editors/sourced_number.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongestSource = 1000;
constexpr int kWidestLetters = 60;

}  // namespace

ProvenanceButton::ProvenanceButton(const QString& ofWhat, QWidget* parent) : QToolButton(parent) {
    setLook(*this, "letters", u"caption"_s);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setWhat(ofWhat);
    relabel();
    connect(this, &QToolButton::clicked, this, &ProvenanceButton::openPanel);
}

void ProvenanceButton::setWhat(const QString& ofWhat) {
    what_ = ofWhat;
    setAccessibleName(u"Source of %1"_s.arg(what_));
}

void ProvenanceButton::setJson(const Json& value, const FieldRow& row) {
    source_ = memberText(value, "source");
    reliability_ = memberText(value, "class");
    former_ = formerText(value, row);
    formerNumber_ = formerNumber(value, row);
    // A number that is not there comes from nowhere.
    setVisible(!value.is_null());
    relabel();
}

QSize ProvenanceButton::sizeHint() const {
    const QFontMetrics metrics = fontMetrics();
    const int text = std::min(metrics.horizontalAdvance(full_), metrics.averageCharWidth() * kWidestLetters);
    return {text + theme().spacing(5), QToolButton::sizeHint().height()};
}

QSize ProvenanceButton::minimumSizeHint() const {
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 14), QToolButton::sizeHint().height()};
}

void ProvenanceButton::resizeEvent(QResizeEvent* event) {
    QToolButton::resizeEvent(event);
    setText(fontMetrics().elidedText(full_, Qt::ElideRight, width() - theme().spacing(4)));
}

void ProvenanceButton::relabel() {
    const QString shownSource = QString::fromStdString(escaped(source_.toStdString()));
    const QString shownClass = QString::fromStdString(escaped(reliability_.toStdString()));
    const bool none = source_.isEmpty() && reliability_.isEmpty();
    const bool marked = reliability_ == QLatin1String("assumed") || reliability_ == QLatin1String(hardware::kOwnNumber);
    if (none)
        full_ = u"source?"_s;
    else if (shownClass.isEmpty() || shownSource.isEmpty())
        full_ = shownClass + shownSource;
    else if (shownSource.startsWith(shownClass, Qt::CaseInsensitive))
        full_ = shownSource;
    else
        full_ = u"%1 · %2"_s.arg(shownClass, shownSource);
    if (!former_.isEmpty()) full_ += u" · "_s + u"was %1"_s.arg(former_);
    setLook(*this, "tone", marked ? u"warning"_s : u"secondary"_s);
    const QString hint = none ? u"Say where this number comes from"_s : full_;
    QString shown = hint.toHtmlEscaped();
    if (!former_.isEmpty()) {
        const QString former = former_.toHtmlEscaped();
        const QString number = formerNumber_.toHtmlEscaped();
        shown.chop(former.size());
        shown += u"<s>%1</s>%2"_s.arg(number, former.mid(number.size()));
    }
    setToolTip(u"<span>%1</span>"_s.arg(shown));
    setAccessibleDescription(hint);
    setText(fontMetrics().elidedText(full_, Qt::ElideRight,
                                     std::max(width(), minimumSizeHint().width()) - theme().spacing(4)));
    updateGeometry();
}

void ProvenanceButton::openPanel() {
    auto* panel = new QFrame(this, Qt::Popup);
    panel->setAttribute(Qt::WA_DeleteOnClose);
    setLook(*panel, "ground", u"card"_s);
    auto* form = new QFormLayout(panel);
    form->setContentsMargins(theme().spacing(3), theme().spacing(3), theme().spacing(3), theme().spacing(3));
    form->setSpacing(theme().spacing(2));
    auto* heading = new QLabel(u"Where %1 comes from"_s.arg(what_), panel);
    heading->setTextFormat(Qt::PlainText);
    heading->setFont(theme().font(Theme::Text::base, true));
    form->addRow(heading);
    auto* trust = new QComboBox(panel);
    for (const auto& [word, label] :
         {std::pair(QString(), u"not said"_s), std::pair(u"measured"_s, u"measured"_s),
          std::pair(u"datasheet"_s, u"from a datasheet"_s), std::pair(u"assumed"_s, u"assumed"_s),
          std::pair(QString::fromLatin1(hardware::kOwnNumber), u"yours"_s)})
        trust->addItem(label, word);
    trust->setCurrentIndex(std::max(trust->findData(reliability_), 0));
    trust->setAccessibleName(u"How far it can be trusted"_s);
    auto* source = new TextBox(source_, panel);
    source->setMaxLength(kLongestSource);
    source->setCursorPosition(0);
    source->setMinimumWidth(fontMetrics().averageCharWidth() * kWidestLetters);
    source->setPlaceholderText(u"document, page or person"_s);
    source->setAccessibleName(u"Source"_s);
    form->addRow(u"Trust"_s, trust);
    form->addRow(u"Source"_s, source);
    const auto report = [this, trust, source] { emit edited(source->text(), trust->currentData().toString()); };
    connect(trust, &QComboBox::activated, panel, report);
    connect(source, &QLineEdit::textEdited, panel, report);
    connect(source, &QLineEdit::returnPressed, panel, &QWidget::close);
    panel->move(mapToGlobal(QPoint(0, height())));
    panel->show();
    trust->setFocus();
}

}  // namespace tessera::ui
