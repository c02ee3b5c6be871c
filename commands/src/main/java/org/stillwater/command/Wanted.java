package org.stillwater.command;

import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;

/**
 * Something that somebody wants done with a VM.
 *
 * @param vm the VM
 * @param kind what
 * @param parameters how
 */
public record Wanted(VmId vm, OperationKind kind, OperationParameters parameters) {}
