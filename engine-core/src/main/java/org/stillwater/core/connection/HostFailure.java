package org.stillwater.core.connection;

import java.time.Duration;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.text.TimeText;

/**
 * Failure of a call to a host. Expected trouble is data, not an exception. Text from hosts in it is
 * bounded and on one line.
 */
public sealed interface HostFailure {

    /** One sentence for the operator: the event and, where known, the remedy. */
    String describe();

    /**
     * Whether a machine answers at the host's address, but TLS or the engine refuses a certificate:
     * the host may be well.
     */
    default boolean isUntrusted() {
        return this instanceof Untrusted || this instanceof WrongCertificate;
    }

    private static String safe(String words) {
        return SafeText.of(words, ReportedText.FAILURE.mostCharacters());
    }

    /** No connection: refused, lost, or never made. */
    record Unreachable(String reason) implements HostFailure {
        public Unreachable {
            reason = safe(reason);
        }

        @Override
        public String describe() {
            return "unreachable: " + reason;
        }
    }

    /** No connection, because the host's DNS name is unknown. */
    record UnknownAddress(String address) implements HostFailure {
        public UnknownAddress {
            address = safe(address);
        }

        @Override
        public String describe() {
            return "unreachable: the name " + address + " has no address in DNS";
        }
    }

    /** TLS refused one side or the other. */
    record Untrusted(String reason) implements HostFailure {
        public Untrusted {
            reason = safe(reason);
        }

        @Override
        public String describe() {
            return "TLS refused: " + reason;
        }
    }

    /** The host showed a certificate of the trusted authority that is not known to be its own. */
    record WrongCertificate(String reason) implements HostFailure {
        @Override
        public String describe() {
            return "certificate refused: " + reason;
        }
    }

    /** The connection stands, the answer did not come in time. */
    record TimedOut(String call, long afterMillis) implements HostFailure {
        @Override
        public String describe() {
            return call + " was not answered within " + TimeText.of(Duration.ofMillis(afterMillis));
        }
    }

    /**
     * The host agent has just started and is finding its VMs (code 99). It allows no conclusion
     * about VMs.
     */
    record Recovering(String message) implements HostFailure {
        public Recovering {
            message = safe(message);
        }

        @Override
        public String describe() {
            return "the host agent is recovering: " + message;
        }
    }

    /** The host has no room for the call now (code 1100). */
    record Overloaded(String message) implements HostFailure {
        public Overloaded {
            message = safe(message);
        }

        @Override
        public String describe() {
            return "the host is overloaded: " + message;
        }
    }

    /** The host answered with an error code. */
    record Refused(int code, String message) implements HostFailure {
        public Refused {
            message = safe(message);
        }

        @Override
        public String describe() {
            return "the host answered code " + code + ": " + message;
        }
    }

    /** The host sent something that the protocol does not allow. */
    record ProtocolViolation(String reason) implements HostFailure {
        public ProtocolViolation {
            reason = safe(reason);
        }

        @Override
        public String describe() {
            return "protocol violation: " + reason;
        }
    }
}
