package org.stillwater.server.api.operation;

import org.stillwater.core.store.DefinitionStore.Definition;

/** Writes definitions of VMs as the text that operations keep. Thread-safe. */
public interface DefinitionWriter {

    /** The text of a definition, for {@link org.stillwater.core.operation.OperationParameters}. */
    String text(Definition definition);
}
