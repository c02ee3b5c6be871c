package org.stillwater.fake.control;

/** The help text of the control port. */
final class Help {

    private Help() {}

    static String text() {
        return """
        Control port of the simulated hosts. Bodies are JSON; durations are seconds or ISO 8601.

        GET    /hosts                   name, address, port, condition; folder of the engine's keys
        GET    /state[?host=NAME]       the truth about hosts and VMs
        GET    /vms[?host=NAME]         id, name, host, status
        GET    /vms/ID                  the truth about one VM; ID or name
        POST   /hosts/NAME/vms          create and start: {"count", "id", "name", "os", "agent",
                                        "nics", "disks", "memoryMib", "vcpus", "failure"}
        GET    /hosts/NAME              the same of one host
        GET    /hosts/NAME/power        {"power": "on"} or off
        POST   /hosts/NAME/power        {"state": "on"} or off; no error if it is so already
        POST   /hosts/NAME/ACTION       %s
        POST   /vms/ID/ACTION           %s
        GET    /relays                  name, hosts, trouble
        POST   /relays/NAME/end         the relay dies
        POST   /scenario                {"steps": [{"at": 10, "vm": "any", "action": "crash"},
                                         {"every": 60, "times": 5, "host": "host-0001",
                                          "action": "restart-vdsm", "options": {"recovery": 20}}]}
        GET    /scenario                steps performed and passed over
        DELETE /scenario                forget what is still to come
        POST   /faults                  {"kind": "latency", "host": "host-0001", "delayMillis": 500}
        GET    /faults                  the faults in force
        DELETE /faults[/ID]             end one or all
        GET    /clock                   virtual time
        POST   /clock/advance           {"by": 60}
        GET    /metrics                 Prometheus text
        """
                .formatted(wrapped(Actions.hostNames()), wrapped(Actions.vmNames()));
    }

    private static String wrapped(Iterable<String> names) {
        StringBuilder text = new StringBuilder();
        int column = 0;
        for (String name : names) {
            if (column + name.length() > 60) {
                text.append("\n").append(" ".repeat(32));
                column = 0;
            }
            text.append(name).append(' ');
            column += name.length() + 1;
        }
        return text.toString().stripTrailing();
    }
}
