package org.stillwater.core.analysis;

import java.util.Locale;
import org.stillwater.core.vm.BeliefRule;

/**
 * The rules of the analysis of VMs, each with its scenario of the monitoring specification, section
 * 10. A branch of the analysis names the rule that it follows; see {@link DecisionBuilder#by}.
 */
public enum VmRule implements BeliefRule {
    /** The general case of §4.4. */
    AS_REPORTED(0, "the report of its own host is accepted"),
    /** A command or operation decided, not the analysis. */
    ORDERED(0, "an operation decided it"),
    /** A host runs it, and it was down. */
    STARTED_OUTSIDE(0, "a host runs it although it was down and no operation started it"),
    /** The engine took it in. */
    FOUND(74, "a host runs an unknown VM"),
    /** It powers up. */
    POWERING_UP(3, "its host reports that it powers up"),
    /** It is up. */
    UP(4, "its host reports that it is up"),
    /** It is paused. */
    PAUSED(5, "its host reports that it is paused"),
    /** A pause by an error is over. */
    RECOVERED(8, "it continues after an error had paused it"),
    /** It was to shut down and is up. */
    POWER_DOWN_FAILED(10, "it did not shut down and is up again"),
    /** QEMU's monitor is silent. */
    NOT_RESPONDING(11, "its process runs and does not respond"),
    /** The guest restarts. */
    REBOOTED(13, "its guest restarts"),
    /** It stopped. */
    STOPPED(14, "its process ended normally"),
    /** It failed. */
    FAILED(15, "its process ended with an error"),
    /** It failed and is restarted. */
    FAILED_HIGHLY_AVAILABLE(16, "it is highly available and its process ended with an error"),
    /** Its start failed. */
    START_FAILED(18, "its process failed while it started"),
    /** It stopped while it started. */
    START_STOPPED(19, "its process ended normally while it started"),
    /** It is down for a cold reboot. */
    COLD_REBOOT(20, "its process ended during its cold reboot"),
    /** It is down already. */
    DOWN_ALREADY(22, "it was down already; its host reports no process"),
    /** Its memory is saved. */
    SUSPENDED(23, "its memory is saved"),
    /** Its memory could not be saved. */
    SUSPEND_FAILED(24, "its process ended with an error while its memory was saved"),
    /** It is gone, as ordered. */
    POWERED_OFF(25, "its destruction was ordered and its host does not list it"),
    /** It is gone while it shut down. */
    GONE_AS_EXPECTED(26, "it was stopping and its host does not list it"),
    /** It is gone. */
    GONE(27, "its host does not list it"),
    /** It is gone while it started. */
    GONE_WHILE_STARTING(28, "its host does not list it while it starts"),
    /** It is gone in a cold reboot. */
    GONE_IN_COLD_REBOOT(29, "its host does not list it during its cold reboot"),
    /** It is known again. */
    RESTORED(30, "its host reports it again"),
    /** Its host came back without it. */
    NOT_RESTORED(31, "its host answers again and does not list it"),
    /** Its host was off. */
    HOST_FENCED(31, "its host was switched off or has booted"),
    /** An unknown VM is up elsewhere. */
    UP_ELSEWHERE(
            33, "its state was unknown, and the report of another host that runs it is accepted"),
    /** A paused process of a VM of another host. */
    PAUSED_LEFTOVER(35, "a paused process is left on a host that is not responsible"),
    /** An ended process of a VM of another host. */
    ENDED_LEFTOVER(36, "an ended process is left on a host that is not responsible"),
    /** It is up elsewhere. */
    MOVED(37, "the report of another host that runs it is accepted"),
    /** A claim that is not accepted yet. */
    CONTESTED(
            37, "a host that is not responsible reports it; the engine asks the responsible host"),
    /** The responsible host denied it, so a claim counts. */
    CLAIM_GRANTED(37, "its host does not run it and another host has claimed it"),
    /** The end is accepted once other hosts have answered. */
    OTHERS_FIRST(37, "the engine waits for the reports of other hosts before it accepts the end"),
    /** It moved to its destination. */
    HANDED_OVER(40, "it left its host for the destination of its migration"),
    /** It moved to a silent destination. */
    HANDED_OVER_UNSEEN(41, "it left its host for a destination that does not answer"),
    /** It arrived. */
    ARRIVED(42, "it runs on the destination of its migration"),
    /** The destination was first. */
    DESTINATION_FIRST(43, "its destination reports it before its source releases it"),
    /** It moved, and where to is not known. */
    LEFT_FOR_UNKNOWN(44, "it migrated to an unknown host"),
    /** It was seen again. */
    SEEN_AGAIN(44, "it had migrated to an unknown host, and a host reports it"),
    /** It was not seen again. */
    NOT_SEEN_AGAIN(44, "it had migrated to an unknown host, and no host reported it in time"),
    /** Its migration failed. */
    MIGRATION_FAILED(45, "its source reports no migration any more"),
    /** It ended in a migration. */
    MIGRATION_ABORTED(46, "its process ended while it migrated"),
    /** It still arrives. */
    STILL_ARRIVING(46, "its state was unknown, and its migration continues"),
    /** It never arrived. */
    NEVER_ARRIVED(47, "a destination reports that its migration failed"),
    /** The guest runs on the destination already. */
    POST_COPY(48, "its source paused it by post-copy"),
    /** It is gone in a migration. */
    GONE_IN_MIGRATION(49, "its source does not list it while it migrates"),
    /** It arrived paused. */
    ARRIVED_PAUSED(50, "it is paused on the destination of its migration"),
    /** Its host fell silent. */
    HOST_LOST(81, "its host does not respond"),
    /** It was started elsewhere by its lease. */
    STARTED_BY_LEASE(84, "it runs where it was started by its storage lease");

    private final int scenario;
    private final String clause;

    VmRule(int scenario, String clause) {
        this.scenario = scenario;
        this.clause = clause;
    }

    @Override
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public int scenario() {
        return scenario;
    }

    @Override
    public String clause() {
        return clause;
    }
}
