package org.stillwater.server.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.TlsSettings;

/** Check of an operator's certificate before a start. Stateless. */
public final class GivenCertificate {

    private GivenCertificate() {}

    /**
     * Outcome of a check.
     *
     * @param errors reasons for which the engine would not start, with the remedy
     * @param warnings faults that clients would notice
     */
    public record Outcome(List<String> errors, List<String> warnings) {

        public Outcome {
            errors = List.copyOf(errors);
            warnings = List.copyOf(warnings);
        }
    }

    /** Checks the files that the settings name; none without them. Makes no certificate. */
    public static Outcome check(TlsSettings settings, FleetSettings fleet, EngineClock clock) {
        List<String> warnings = new ArrayList<>();
        if (!settings.enabled() || settings.certificate() == null) {
            return new Outcome(List.of(), warnings);
        }
        Instant end;
        try {
            end = new EngineCertificate(settings, fleet, clock).expiry();
        } catch (TlsRefused e) {
            return new Outcome(List.of(e.getMessage() + " " + e.action()), warnings);
        }
        Duration left = Duration.between(clock.now(), end);
        if (left.isNegative()) {
            warnings.add(
                    "the certificate in "
                            + settings.certificate()
                            + " expired at "
                            + end
                            + ": clients refuse it");
        } else if (left.compareTo(settings.renewBefore()) < 0) {
            warnings.add(
                    "the certificate in "
                            + settings.certificate()
                            + " expires at "
                            + end
                            + " soon");
        }
        return new Outcome(List.of(), warnings);
    }
}
