package org.stillwater.core.analysis;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.VmRuntime;

/**
 * Action that a report requires. Analysis only returns it; the shell carries each decision out in
 * isolation from the others, after the new state is committed.
 */
public sealed interface Decision {

    /** The VM that it concerns. */
    VmId vmId();

    /**
     * Removes the VM's remains from a host. A host without remains counts as cleaned.
     *
     * @param vmId the VM
     * @param host where
     * @param why one clause for the log
     * @param hasProcess whether it still runs there, so that destroying it could be a mistake
     */
    record DestroyOnHost(VmId vmId, HostId host, String why, boolean hasProcess)
            implements Decision {}

    /**
     * A host that is not responsible for the VM claims to run it. The engine polls the responsible
     * host at once; until it has answered, the claim has no effect (ADR 0032).
     *
     * @param vmId the VM
     * @param claimant the host that makes the claim
     * @param seen the runtime that it reported
     */
    record Contest(VmId vmId, HostId claimant, VmRuntime seen) implements Decision {}

    /**
     * Other hosts must report before the engine accepts the report. The known source and
     * destination of the VM are polled at once, then the reporter; every other host reports in the
     * next poll of its own cycle, so that one host's report does not cause a poll of all others.
     *
     * @param vmId the VM
     */
    record HearOthers(VmId vmId) implements Decision {}

    /**
     * People should know.
     *
     * @param vmId the VM
     * @param host the host that the event is about
     * @param event the event
     * @param details values for the event's text, by name
     */
    record Audit(VmId vmId, HostId host, AuditEvent event, Map<String, String> details)
            implements Decision {
        public Audit {
            details = Map.copyOf(details);
        }
    }

    /**
     * A command must do something: recorded durably in the transaction that saves the state it
     * follows from.
     *
     * @param work the work
     */
    record Queue(PendingWork work) implements Decision {
        @Override
        public VmId vmId() {
            return work.vmId();
        }
    }

    /**
     * Signals listeners that wait for the VM or follow it. A restart loses the signal, which is
     * correct: the VM's state contains the same information.
     *
     * @param vmId the VM
     * @param host the host that reported it
     * @param signal the signal
     */
    record Tell(VmId vmId, HostId host, Signal signal) implements Decision {}

    /** A notice to listeners. */
    enum Signal {
        /** The run command that waits has its VM up. */
        RUN_SUCCEEDED,
        /** The migrate command that waits has its VM on the destination. */
        MIGRATION_SUCCEEDED,
        /** No command still waits for the VM; without success. */
        COMMAND_DROPPED,
        /** The guest begins to boot: resources reserved for the start are in use now. */
        POWERING_UP,
        /** The guest's applications changed: lists of usable applications may be stale. */
        APPLICATIONS_CHANGED,
        /** The guest restarted: memory modules that it did not give back stay. */
        MEMORY_UNPLUG_FORGOTTEN
    }

    /**
     * The VM's jobs ended with it.
     *
     * @param vmId the VM
     */
    record RemoveJobs(VmId vmId) implements Decision {}

    /**
     * Fetches the VM's data outside its disks (TPM, NVRAM) before the host may forget it.
     *
     * @param vmId the VM
     * @param host where it ended
     */
    record SaveExternalData(VmId vmId, HostId host) implements Decision {}

    /**
     * A host runs a VM that the engine does not know: its definition must be read from the host and
     * kept.
     *
     * @param vmId the VM
     * @param host where it runs
     * @param origin its kind: an external VM, or the one that runs the engine
     */
    record TakeInExternal(VmId vmId, HostId host, VmOrigin origin) implements Decision {}

    /**
     * An unexpected report was handled; it is logged.
     *
     * @param vmId the VM
     * @param what one clause
     */
    record NoteUnexpected(VmId vmId, String what) implements Decision {}
}
