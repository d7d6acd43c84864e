#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <functional>

namespace tessera::test {

/// Lets events happen until `done` holds or the time is over; says whether it holds. The time is for what never
/// happens: far more than it takes on a busy machine.
inline bool waitUntil(const std::function<bool()>& done, int milliseconds = 60'000) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < milliseconds)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 10);
    return done();
}

}  // namespace tessera::test
