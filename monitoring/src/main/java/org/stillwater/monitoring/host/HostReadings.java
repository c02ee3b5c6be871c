package org.stillwater.monitoring.host;

import org.slf4j.Logger;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;

/**
 * Reports of one host about itself: its boot, its numbers, and the inputs of its status. Used by
 * the host's thread only.
 */
final class HostReadings {

    private static final Logger LOG = HostMonitor.LOG;

    private final MonitoredHost host;
    private final HostQuestions questions;
    private final HostStatusKeeper keeper;
    private final HostClaims claims;
    private final HostNumbers numbers;
    private final HostLink link;

    HostReadings(
            MonitoredHost host,
            HostQuestions questions,
            HostStatusKeeper keeper,
            HostClaims claims,
            HostNumbers numbers) {
        this.host = host;
        this.questions = questions;
        this.keeper = keeper;
        this.claims = claims;
        this.numbers = numbers;
        this.link = questions.link();
    }

    /** Takes the answer to the query of capabilities. */
    void capabilities(HostAnswer<HostCapabilities> answer) {
        switch (answer) {
            case HostAnswer.Success<HostCapabilities>(HostCapabilities capabilities) -> {
                questions.capabilitiesArrived();
                String bootId = capabilities.bootUuid();
                if (bootId != null) {
                    bootId(bootId);
                }
                numbers.take(capabilities);
                keeper.capabilities(capabilities);
            }
            case HostAnswer.Failed<HostCapabilities>(HostFailure failure) -> {
                // A boot that the engine does not learn of would keep old stamps in force.
                questions.capabilitiesMissed();
                failed("capabilities failed", failure);
            }
        }
    }

    private void bootId(String reported) {
        switch (link.boots().idTold(reported, link.session())) {
            case SAME -> {}
            case UNCERTAIN -> {
                // Whether it is another boot than before cannot be known: a claim is kept.
                claims.lost();
                rebooted("first report of a boot id");
            }
            case ANOTHER -> {
                claims.booted();
                rebooted("boot id changed");
            }
        }
        claims.bootTold();
    }

    /** Takes the answer to the query of the firmware's data. */
    void hardware(HostAnswer<HostHardware> answer) {
        switch (answer) {
            case HostAnswer.Success<HostHardware>(HostHardware hardware) ->
                    keeper.hardware(hardware);
            case HostAnswer.Failed<HostHardware>(HostFailure failure) ->
                    host.logs().warnings().about("hardware failed", failure.describe());
        }
    }

    /** The statistics of the host, or a failure. */
    void statistics(HostAnswer<HostStatistics> answer) {
        switch (answer) {
            case HostAnswer.Success<HostStatistics>(HostStatistics statistics) -> {
                Long bootTime = statistics.bootTimeEpochSeconds();
                if (bootTime != null) {
                    if (link.boots().timeTold(bootTime) != BootDetection.Boot.SAME) {
                        claims.booted();
                        rebooted("boot time changed");
                    }
                    claims.bootTold();
                }
                numbers.take(statistics, host.services().rules().memory(host.id()));
                host.services().feed().hostRefreshed();
                keeper.statistics(statistics);
            }
            case HostAnswer.Failed<HostStatistics>(HostFailure failure) ->
                    failed("statistics failed", failure);
        }
    }

    private void rebooted(String how) {
        host.logs()
                .lines()
                .info(LOG, "host={} booted again: {}", keeper.state().definition().name(), how);
        // Reports that were sorted out by the stamps of the former boot are requested again.
        host.schedule().wantPoll();
    }

    /**
     * A contact with the host failed.
     *
     * @param subject a few words for complaints
     */
    void failed(String subject, HostFailure failure) {
        link.failed(failure);
        host.logs().warnings().about(subject, failure.describe());
        switch (failure) {
            case HostFailure.Unreachable _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _,
                    HostFailure.TimedOut _,
                    HostFailure.Recovering _ ->
                    keeper.failed(failure);
            case HostFailure.Overloaded _,
                    HostFailure.Refused _,
                    HostFailure.ProtocolViolation _ -> {
                // It answers, so it is reachable.
                keeper.decide(new HostFact.Answered());
            }
        }
    }
}
