package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.monitoring.device.IntakeTrouble;

/**
 * State of the monitoring of one host.
 *
 * @param definition the host
 * @param status its status
 * @param since begin of the status
 * @param reason reason why it is not up, null for none
 * @param lastPollAt when its last complete poll arrived, null before the first
 * @param pollOverdue whether two intervals have passed since then
 * @param warnings warnings and their counts since the engine started, by subject
 * @param answers its response times
 * @param certificateRefused whether the last contact failed by its certificate
 * @param lastStall the last stall that restarted its monitoring, null for none
 * @param floodsSince since when it exceeds the limits of one host; null while it does not
 * @param contestedVms VMs of other hosts that it claims to run
 * @param intake running VMs that could not be imported; null for none
 * @param analysis VMs with reports that were not processed; null for none
 */
public record HostHealth(
        HostDefinition definition,
        HostStatus status,
        Instant since,
        @Nullable String reason,
        @Nullable Instant lastPollAt,
        boolean pollOverdue,
        Map<String, Long> warnings,
        AnswerTime answers,
        boolean certificateRefused,
        @Nullable Stall lastStall,
        @Nullable Instant floodsSince,
        int contestedVms,
        @Nullable IntakeTrouble intake,
        @Nullable AnalysisTrouble analysis) {

    /**
     * VMs of the newest complete poll with reports that the engine failed to process.
     *
     * @param vms their number, at least 1
     * @param reason the first VM and the exception, one clause
     * @param since time of the first of the polls in a row with such VMs
     */
    public record AnalysisTrouble(int vms, String reason, Instant since) {

        /** One sentence for the operator. */
        public String describe() {
            return (vms == 1 ? "the report about a VM" : "the reports about " + vms + " VMs")
                    + " could not be processed, which is a defect of the engine: "
                    + reason;
        }
    }

    public HostHealth {
        warnings = Map.copyOf(warnings);
    }

    /** Trouble of the host, in one word. */
    public HostTrouble trouble() {
        return switch (status) {
            case UNASSIGNED -> certificateRefused ? HostTrouble.UNTRUSTED : HostTrouble.STARTING;
            case CONNECTING, NON_RESPONSIVE ->
                    certificateRefused ? HostTrouble.UNTRUSTED : HostTrouble.SILENT;
            case INITIALIZING -> HostTrouble.RECOVERING;
            case NON_OPERATIONAL -> HostTrouble.NON_OPERATIONAL;
            case ERROR -> HostTrouble.FAILED;
            case PREPARING_FOR_MAINTENANCE -> HostTrouble.DRAINING;
            case DOWN,
                    MAINTENANCE,
                    INSTALLING,
                    INSTALL_FAILED,
                    REBOOT,
                    PENDING_APPROVAL,
                    INSTALLING_OS,
                    KDUMPING ->
                    HostTrouble.LEFT_ALONE;
            case UP ->
                    contestedVms > 0
                            ? HostTrouble.CONTESTED
                            : floodsSince != null
                                    ? HostTrouble.FLOODING
                                    : intake != null ? HostTrouble.INTAKE_FAILED : whileComplete();
        };
    }

    private HostTrouble whileComplete() {
        if (analysis != null) {
            return HostTrouble.ANALYSIS_FAILED;
        }
        return answers.slowFor() != null ? HostTrouble.SLOW : whileUp();
    }

    private HostTrouble whileUp() {
        return pollOverdue
                ? HostTrouble.OVERDUE
                : lastPollAt == null ? HostTrouble.STARTING : HostTrouble.WELL;
    }

    /** Whether it has no trouble now. */
    public boolean isWell() {
        return status == HostStatus.UP
                && lastPollAt != null
                && !pollOverdue
                && floodsSince == null
                && contestedVms == 0
                && intake == null
                && analysis == null;
    }
}
