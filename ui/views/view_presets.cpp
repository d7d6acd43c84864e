#include "ui/views/view_presets.h"

#include <QInputDialog>
#include <QJsonDocument>
#include <QMenu>
#include <QSettings>
#include <utility>

#include "core/base/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxPresets = 50;
constexpr std::size_t kLongestName = 60;

QString cleaned(const QString& name) {
    return QString::fromStdString(escaped(name.simplified().toStdString(), kLongestName));
}

/// Menus read "&" as the mark of a key.
QString asMenuText(QString name) {
    return name.replace(QLatin1Char('&'), u"&&"_s);
}

}  // namespace

ViewPresets::ViewPresets(const QString& kind, std::function<QJsonObject()> seen,
                         std::function<void(const QJsonObject&)> show, QWidget* parent)
    : QToolButton(parent), setting_(kind + u"/presets"_s), seen_(std::move(seen)), show_(std::move(show)) {
    setText(u"Views"_s);
    setToolTip(u"Saved ways to look at this: what is shown, how and on which page"_s);
    setAccessibleName(u"Saved views"_s);
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &ViewPresets::fillMenu);
}

QJsonObject ViewPresets::all() const {
    return QJsonDocument::fromJson(QSettings().value(setting_).toByteArray()).object();
}

void ViewPresets::keep(const QJsonObject& presets) const {
    QSettings().setValue(setting_, QJsonDocument(presets).toJson(QJsonDocument::Compact));
}

QStringList ViewPresets::names() const {
    return all().keys();
}

void ViewPresets::save(const QString& name) {
    const QString kept = cleaned(name);
    QJsonObject presets = all();
    if (kept.isEmpty() || (presets.size() >= kMaxPresets && !presets.contains(kept))) return;
    presets[kept] = seen_();
    keep(presets);
}

void ViewPresets::apply(const QString& name) {
    const QJsonObject presets = all();
    if (presets.contains(name)) show_(presets[name].toObject());
}

void ViewPresets::remove(const QString& name) {
    QJsonObject presets = all();
    presets.remove(name);
    keep(presets);
}

void ViewPresets::fillMenu() {
    menu()->clear();
    const QStringList known = names();
    for (const QString& name : known) menu()->addAction(asMenuText(name), this, [this, name] { apply(name); });
    if (!known.isEmpty()) menu()->addSeparator();
    menu()->addAction(theme().icon(u"save"_s), u"Save this view…"_s, this, &ViewPresets::askForName);
    if (known.isEmpty()) return;
    auto* forget = menu()->addMenu(theme().icon(u"delete"_s), u"Forget"_s);
    for (const QString& name : known) forget->addAction(asMenuText(name), this, [this, name] { remove(name); });
}

void ViewPresets::askForName() {
    bool accepted = false;
    const QString name =
        QInputDialog::getText(this, u"Save this view"_s, u"Name"_s, QLineEdit::Normal, QString(), &accepted);
    if (accepted) save(name);
}

}  // namespace tessera::ui
