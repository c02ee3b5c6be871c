package org.stillwater.fake.net;

/** Lets threads pass, or holds them. Thread-safe; open at first. */
final class Gate {

    private volatile boolean shut;

    boolean isShut() {
        return shut;
    }

    void shut() {
        shut = true;
    }

    synchronized void open() {
        shut = false;
        notifyAll();
    }

    /** Waits while shut. */
    void pass() throws InterruptedException {
        if (shut) {
            synchronized (this) {
                while (shut) {
                    wait();
                }
            }
        }
    }
}
