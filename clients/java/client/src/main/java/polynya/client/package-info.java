/**
 * Connect a bot to a Polynya server: write one function from {@link polynya.client.Turn} to steps,
 * and call {@link polynya.client.Polynya#run}.
 */
package polynya.client;
