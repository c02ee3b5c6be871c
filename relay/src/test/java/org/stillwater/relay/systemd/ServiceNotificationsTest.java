package org.stillwater.relay.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.testkit.DatagramReceiver;

/** Against a real socket of the kernel, as systemd has one. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class ServiceNotificationsTest {

    @TempDir Path folder;

    @Test
    @DisplayName("a program that works gives signs of life until it stops")
    void life() throws Throwable {
        String address = folder.resolve("notify").toString();
        try (DatagramReceiver systemd = new DatagramReceiver(address)) {
            ServiceNotifications service = ServiceNotifications.of(address, "20000");
            service.ready();
            assertThat(systemd.receive()).isEqualTo("READY=1");
            service.watch(() -> true);
            assertThat(systemd.receive()).isEqualTo("WATCHDOG=1");
            assertThat(systemd.receive()).isEqualTo("WATCHDOG=1");
            service.close();
            String last = systemd.receive();
            while (last.equals("WATCHDOG=1")) {
                last = systemd.receive();
            }
            assertThat(last).isEqualTo("STOPPING=1");
        }
    }

    @Test
    @DisplayName("a program that hangs or fails gives no sign of life")
    void hangs() throws Throwable {
        String address = folder.resolve("notify").toString();
        AtomicInteger checks = new AtomicInteger();
        try (DatagramReceiver systemd = new DatagramReceiver(address);
                ServiceNotifications service = ServiceNotifications.of(address, "2000")) {
            service.watch(() -> {
                int check = checks.incrementAndGet();
                if (check == 3) {
                    throw new IllegalStateException("expected by this test");
                }
                return check > 3;
            });
            assertThat(systemd.receive()).isEqualTo("WATCHDOG=1");
            assertThat(checks.get()).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    @DisplayName("without systemd nothing happens")
    void none() {
        for (ServiceNotifications service :
                new ServiceNotifications[] {
                    ServiceNotifications.of(null, "1000000"),
                    ServiceNotifications.of("", null),
                    ServiceNotifications.of("relative", "1000000"),
                    ServiceNotifications.of(folder.resolve("none").toString(), null)
                }) {
            service.ready();
            service.watch(() -> {
                throw new AssertionError("no sign of life is wanted");
            });
            assertThat(service.interval()).isNull();
            service.close();
        }
    }

    @Test
    @DisplayName("signs of life come twice in the time that systemd waits")
    void interval() {
        assertThat(ServiceNotifications.interval("30000000")).isEqualTo(Duration.ofSeconds(15));
        assertThat(ServiceNotifications.interval(null)).isNull();
        assertThat(ServiceNotifications.interval("0")).isNull();
        assertThat(ServiceNotifications.interval("soon")).isNull();
    }
}
