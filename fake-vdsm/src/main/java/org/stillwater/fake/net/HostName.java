package org.stillwater.fake.net;

/**
 * The name of one simulated host, unique in the process; faults and control address it by this.
 *
 * @param value for example {@code host-0001}
 */
public record HostName(String value) implements Comparable<HostName> {

    /** Refuses a blank name. */
    public HostName {
        if (value.isBlank()) {
            throw new IllegalArgumentException("a host needs a name");
        }
    }

    @Override
    public int compareTo(HostName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
