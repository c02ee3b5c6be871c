package org.stillwater.fake.net;

/**
 * One event, encoded.
 *
 * @param method the event name as on the wire, {@code |virt|VM_status|<vmId>}; faults match on it
 * @param json the whole notification, {@code {"jsonrpc": "2.0", "method": …, "params": …}}
 */
public record HostEvent(String method, JsonBody json) {}
