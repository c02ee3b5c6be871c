package org.stillwater.fake.net;

/** Faults in the content of answers and events. Thread-safe. */
final class DataFaults {

    private final Faults faults;

    DataFaults(Faults faults) {
        this.faults = faults;
    }

    /** The body, changed by whatever strikes. */
    JsonBody apply(JsonBody body, HostName host, String label, long connection) {
        if (!faults.any()) {
            return body;
        }
        return body;
    }
}
