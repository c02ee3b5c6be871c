package org.stillwater.relay.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.testkit.DatagramReceiver;

/** Against a real socket of the kernel, as systemd has one. */
@EnabledOnOs(OS.LINUX)
class UnixDatagramsTest {

    @Test
    void messagesArriveAtAPathAndAtAnAbstractName(@TempDir Path folder) throws Throwable {
        for (String address :
                new String[] {
                    folder.resolve("notify").toString(),
                    "@stillwater-test-" + ProcessHandle.current().pid()
                }) {
            try (DatagramReceiver systemd = new DatagramReceiver(address)) {
                UnixDatagrams socket = new UnixDatagrams(address);
                socket.send("READY=1");
                socket.send("STATUS=watching\nWATCHDOG=1");
                assertThat(systemd.receive()).isEqualTo("READY=1");
                assertThat(systemd.receive()).isEqualTo("STATUS=watching\nWATCHDOG=1");
            }
        }
    }

    @Test
    void aMissingReceiverAndAWrongAddressAreExceptions(@TempDir Path folder) throws Exception {
        UnixDatagrams socket = new UnixDatagrams(folder.resolve("none").toString());
        assertThatThrownBy(() -> socket.send("READY=1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("READY=1");
        assertThatThrownBy(() -> new UnixDatagrams("relative"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("relative");
        assertThatThrownBy(() -> new UnixDatagrams("/" + "x".repeat(200)))
                .isInstanceOf(IOException.class);
    }
}
