package org.stillwater.benchmarks.scale;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * What only a JVM knows about itself, asked from outside through its management agent. Asking costs
 * the JVM a little: ask before and after, not during what is measured.
 */
final class JvmProbe implements AutoCloseable {

    private final JMXConnector connector;
    private final ThreadMXBean threads;
    private final MemoryMXBean memory;

    private JvmProbe(JMXConnector connector, ThreadMXBean threads, MemoryMXBean memory) {
        this.connector = connector;
        this.threads = threads;
        this.memory = memory;
    }

    @SuppressWarnings("BanJNDI") // the address comes from our own child process on this machine
    static JvmProbe attach(long pid) throws IOException {
        String address;
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                address = machine.startLocalManagementAgent();
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("cannot attach to process " + pid, e);
        }
        JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
        MBeanServerConnection server = connector.getMBeanServerConnection();
        return new JvmProbe(
                connector,
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class),
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class));
    }

    /** Bytes allocated by all threads since the start, ended ones included. */
    long allocatedBytes() {
        return threads.getTotalThreadAllocatedBytes();
    }

    /** Bytes in use after a full collection, which this causes. */
    long liveHeapBytes() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Threads that live, those of the JVM itself left out. */
    int threads() {
        return threads.getThreadCount();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
