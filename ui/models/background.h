#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace tessera::ui {

/// Runs `work` on a thread of the pool, then `done(result)` on the UI thread; where `work` throws, `failed(sentence)`.
/// Neither is called once `receiver` is gone. For everything that may take over 50 ms.
template <typename Work, typename Done, typename Failed>
void inBackground(QObject* receiver, Work work, Done done, Failed failed) {
    using Value = std::invoke_result_t<Work>;
    QThreadPool::globalInstance()->start([guard = QPointer<QObject>(receiver), work = std::move(work),
                                          done = std::move(done), failed = std::move(failed)]() mutable {
        std::shared_ptr<Value> value;
        QString problem;
        try {
            value = std::make_shared<Value>(work());
        } catch (const std::exception& error) {
            problem = QString::fromUtf8(error.what());
        }
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, value, problem, done = std::move(done), failed = std::move(failed)]() mutable {
                if (guard.isNull()) return;
                if (value) {
                    done(std::move(*value));
                } else {
                    failed(problem);
                }
            },
            Qt::QueuedConnection);
    });
}

/// The same for work that does not fail, or whose failure changes nothing.
template <typename Work, typename Done>
void inBackground(QObject* receiver, Work work, Done done) {
    inBackground(receiver, std::move(work), std::move(done), [](const QString& /*problem*/) {});
}

}  // namespace tessera::ui
