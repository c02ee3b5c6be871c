package org.stillwater.monitoring.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostStatus;
import org.stillwater.monitoring.explain.Delay.Code;
import org.stillwater.monitoring.host.HostProvenance;
import org.stillwater.monitoring.write.Durability;

/** Why the reports of a host, or rows in the database, are late. Stateless. */
final class HostDelays {

    /** A report that waits for longer is late: reports are applied within a second (S77). */
    private static final Duration PROMPT = Duration.ofSeconds(1);

    private HostDelays() {}

    /**
     * Why a host has no new reports; empty if its reports arrive in time.
     *
     * @param detailed whether the reader may see the reason of the host's silence
     */
    static List<Delay> of(HostProvenance host, Moment moment, boolean detailed) {
        String because = detailed ? because(host) : "";
        List<Delay> delays = new ArrayList<>(2);
        HostStatus status = host.state().status();
        String name = host.name();
        Instant since = host.state().since();
        if (!status.isRefreshed()) {
            delays.add(
                    new Delay(
                            Code.HOST_NOT_WATCHED,
                            since,
                            "Host %s is in status %s since %s; the engine does not ask it."
                                    .formatted(name, word(status), since),
                            status == HostStatus.REBOOT || status == HostStatus.KDUMPING
                                    ? "The engine asks host %s again after its boot."
                                            .formatted(name)
                                    : "Activate host %s.".formatted(name)));
        } else if (status.isSilent()) {
            delays.add(
                    new Delay(
                            Code.HOST_SILENT,
                            since,
                            "Host %s does not answer since %s%s.".formatted(name, since, because),
                            "Host %s answers; the engine tries every %s."
                                    .formatted(name, Ages.text(host.refresh()))));
        } else if (!status.isInContact()) {
            delays.add(
                    new Delay(
                            Code.HOST_STARTING,
                            since,
                            "Host %s is in status %s since %s%s."
                                    .formatted(name, word(status), since, because),
                            "Host %s answers a complete poll.".formatted(name)));
        } else if (isPollLate(host, moment)) {
            delays.add(pollLate(host, moment, because));
        }
        Long oldest = host.oldestReportNanos();
        if (oldest != null && moment.since(oldest).compareTo(PROMPT) > 0) {
            delays.add(
                    new Delay(
                            Code.MAILBOX_BEHIND,
                            moment.at(oldest),
                            "Messages of host %s that wait to be analysed: %d; the oldest report arrived %s."
                                    .formatted(name, host.waiting(), moment.ago(moment.at(oldest))),
                            "The engine analyses the waiting messages; GET /api/v1/engine/profile"
                                    + " lists the stages that take its CPU."));
        }
        return delays;
    }

    private static boolean isPollLate(HostProvenance host, Moment moment) {
        return host.polledAt() == null
                || moment.since(host.pollReceivedNanos()).compareTo(host.interval().multipliedBy(2))
                        > 0;
    }

    private static Delay pollLate(HostProvenance host, Moment moment, String because) {
        Instant polled = host.polledAt();
        String late =
                polled == null
                        ? "Host %s has answered no complete poll since the engine started%s."
                                .formatted(host.name(), because)
                        : "The last complete poll of host %s arrived %s; one is expected every %s%s."
                                .formatted(
                                        host.name(),
                                        moment.ago(moment.at(host.pollReceivedNanos())),
                                        Ages.text(host.interval()),
                                        because);
        return new Delay(
                Code.POLL_LATE,
                polled == null ? null : moment.at(host.pollReceivedNanos()),
                late,
                "Host %s answers a complete poll; POST /api/v1/hosts/%s/refresh requests one now."
                        .formatted(host.name(), host.state().definition().id()));
    }

    private static String because(HostProvenance host) {
        String reason = host.health().reason();
        return reason == null || reason.isBlank() ? "" : ": " + reason;
    }

    private static String word(HostStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    /** Why the database does not have the newest change; null if it has. */
    static @Nullable Delay ofDatabase(Durability durability, Moment moment) {
        String refusal = durability.refusal();
        Long waiting = durability.waitingSinceNanos();
        if (waiting == null && refusal == null) {
            return null;
        }
        if (waiting == null) {
            return new Delay(
                    Code.ROW_REFUSED,
                    null,
                    "The database refuses the newest change: %s.".formatted(refusal),
                    "The engine writes the row again with the next change; the value in memory is"
                            + " right.");
        }
        String unavailable = durability.unavailable();
        return new Delay(
                Code.WRITER_BEHIND,
                moment.at(waiting),
                "The newest change is not in the database yet; it arrived %s%s."
                        .formatted(
                                moment.ago(moment.at(waiting)),
                                unavailable == null ? "" : ": " + unavailable),
                unavailable == null
                        ? "The writer takes it with its next batch."
                        : "The database can be written again; the engine tries by itself.");
    }
}
