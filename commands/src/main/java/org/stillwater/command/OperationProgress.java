package org.stillwater.command;

import java.util.UUID;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.operation.Operation;

/** Carries operations on, for the packages that do a share of them. On the deciding thread. */
public interface OperationProgress {

    /** Decides the consequences of a fact, and carries them out. */
    void fact(UUID operation, VmFact fact);

    /** An operation that another package carries out has a next step. */
    void goesOn(Operation operation);

    /** An operation that another package carries out has ended. */
    void ended(Operation operation);
}
