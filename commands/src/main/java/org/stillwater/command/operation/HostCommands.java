package org.stillwater.command.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Operations that are not the plain way of one VM: those on hosts, and those that change
 * definitions. Every method is called on the deciding thread, but for {@link #attach}, {@link
 * #refusal}, {@link #taken} and {@link #refusesCancel}.
 */
public interface HostCommands {

    /** Does none of it: work waits, operations fail. */
    HostCommands NONE =
            new HostCommands() {
                @Override
                public void attach(CommandEngine engine) {}

                @Override
                public void recover(List<Operation> open) {}

                @Override
                public void opened(HostWork work) {}

                @Override
                public void begun(Operation operation) {}

                @Override
                public void notBegun(Operation operation) {}

                @Override
                public void lost(Operation operation) {}

                @Override
                public void define(Operation operation) {}

                @Override
                public @Nullable String refusal(Operation operation) {
                    return null;
                }

                @Override
                public @Nullable String refusesCancel(Operation operation) {
                    return null;
                }

                @Override
                public void ended(Operation operation) {}

                @Override
                public void cancel(Operation operation) {}

                @Override
                public void vmChanged(VmId vm) {}

                @Override
                public boolean turn(long nowNanos) {
                    return false;
                }
            };

    /** Connects the engine that owns the operations. */
    void attach(CommandEngine engine);

    /** These were open when the engine stopped; those on VMs are carried on elsewhere. */
    void recover(List<Operation> open);

    /** Monitoring left something to be done about a host. */
    void opened(HostWork work);

    /** An operation on a host is durable. */
    void begun(Operation operation);

    /** An operation is not durable, because the database does not answer. */
    void notBegun(Operation operation);

    /** An operation will never be durable: another owner does it, or its subject is gone. */
    void lost(Operation operation);

    /** An operation that adds, changes or removes a definition is durable. */
    void define(Operation operation);

    /**
     * Reason why an operation's definition cannot be added or changed, one clause for people; null
     * if it can be. In that case its unique values are reserved until the operation has ended or is
     * known not to begin. Any thread.
     */
    @Nullable String refusal(Operation operation);

    /**
     * Reason why the database would refuse an added or changed definition, one clause for people;
     * null if it would accept it. On a thread that may wait for the database.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    default @Nullable String taken(Operation operation) throws StoreUnavailable {
        return null;
    }

    /**
     * Definition that an operation keeps as text. Any thread.
     *
     * @throws IllegalArgumentException if the text defines nothing; the message gives the reason
     */
    default Definition parsed(String definition) {
        throw new IllegalArgumentException("definitions are not understood here");
    }

    /** Why an operation on a host can no longer be taken back; null if it can be. Any thread. */
    @Nullable String refusesCancel(Operation operation);

    /** Any operation has ended. */
    void ended(Operation operation);

    /** An operation on a host is to end as soon as it can. */
    void cancel(Operation operation);

    /** A VM changed or was removed. */
    void vmChanged(VmId vm);

    /** Processes the work gathered in a turn; returns whether there was any. */
    boolean turn(long nowNanos);
}
