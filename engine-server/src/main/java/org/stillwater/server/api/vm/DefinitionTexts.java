package org.stillwater.server.api.vm;

import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.action.DefinitionServices;
import org.stillwater.server.api.operation.DefinitionWriter;

/** Definitions that come in by the compatible API and in batches, kept as those of a request. */
@Component
class DefinitionTexts implements DefinitionServices, DefinitionWriter {

    private final MacAddresses macs;

    DefinitionTexts(MacAddresses macs) {
        this.macs = macs;
    }

    @Override
    public String text(Definition definition) {
        return DefinitionJson.text(definition);
    }

    @Override
    public String nextMac() {
        return macs.next();
    }

    @Override
    public @Nullable VmView owner(VmId vm, String mac, ClusterId cluster) {
        return macs.owner(vm, mac, cluster);
    }
}
