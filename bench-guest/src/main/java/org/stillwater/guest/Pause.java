package org.stillwater.guest;

import java.time.Duration;

/** Waits. Tests wait without time. */
@FunctionalInterface
interface Pause {

    void of(Duration time) throws InterruptedException;
}
