package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmConsole.Protocol;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;

/** A ticket that names a console is refused if the VM is known to run without it. */
class ConsoleTicketTest {

    private static final VmRuntime VNC = VmRuntime.INITIAL.with(RuntimeField.VNC_PORT, 5900);

    @Test
    void aVmWithVncOnlyLacksSpice() {
        assertThat(VmActionController.lacks(VNC, Protocol.SPICE)).isTrue();
        assertThat(VmActionController.lacks(VNC, Protocol.VNC)).isFalse();
    }

    @Test
    void aConsoleMayHaveATlsPortOnly() {
        VmRuntime both =
                VNC.with(RuntimeField.SPICE_PORT, -1).with(RuntimeField.SPICE_TLS_PORT, 5902);
        assertThat(VmActionController.lacks(both, Protocol.SPICE)).isFalse();
        assertThat(VmActionController.lacks(both, Protocol.VNC)).isFalse();
    }

    @Test
    void theHostDecidesWhileItReportsNoConsole() {
        assertThat(VmActionController.lacks(VmRuntime.INITIAL, Protocol.SPICE)).isFalse();
        assertThat(VmActionController.lacks(VmRuntime.INITIAL, Protocol.VNC)).isFalse();
    }
}
