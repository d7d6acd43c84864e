#pragma once

#include <QListView>
#include <QStandardItemModel>
#include <QWidget>

namespace tessera::ui {

/// Warnings and errors as sentences, newest at the bottom; a double click goes to the place.
class MessagesPanel : public QWidget {
    Q_OBJECT

public:
    enum class Tone { information, warning, error };
    struct Look {
        QString icon;
        const char* token;
    };
    static Look lookOf(Tone tone);
    static constexpr int kMax = 1000;  ///< older ones leave

    explicit MessagesPanel(QWidget* parent = nullptr);
    /// `kind` and `key` name the document that said it, `place` a spot in it; all may be empty.
    void add(Tone tone, const QString& sentence, const QString& kind = {}, const QString& key = {},
             const QString& place = {});
    void clear();
    int count() const;
    QString text(int row) const;
    Tone tone(int row) const;
    /// Most serious tone of all messages.
    Tone worst() const;
    QAbstractItemModel* model() { return &model_; }

signals:
    void changed();  ///< a message came, or all went
    void activated(const QString& kind, const QString& key, const QString& place);

private:
    void updateEmptyHint();
    QStandardItemModel model_;
    QListView* list_;
    QWidget* hint_;
};

}  // namespace tessera::ui
