//! Access to a graph for the layered order, so that one machine and the processes of a cluster follow the same rules.

/// A search that orders vertices, which are ranks here. Edges may be on several machines: all of them make the same calls
/// then, in the same order, and get the same results.
pub trait Explorer: Sync {
    /// Error of asking other machines.
    type Error;

    /// Returns the number of vertices.
    fn num_vertices(&self) -> u32;

    /// Returns the numbers of out-edges and of in-edges of a vertex.
    fn degrees(&self, rank: u32) -> [u64; 2];

    /// Returns the number of vertices that each of these vertices reaches, itself included.
    fn reach(&self, ranks: &[u32]) -> Result<Vec<u64>, Self::Error>;

    /// Returns `true` if the vertex already has a position in the order.
    fn is_reached(&self, rank: u32) -> bool;

    /// Returns the number of vertices that have a position.
    fn reached_many(&self) -> usize;

    /// Orders all vertices that are reachable from these roots (ascending, unreached), layer by layer, and appends the end
    /// of each layer to `layer_offsets`. Within a layer, vertices are sorted by their smallest parent, then by rank. Returns
    /// the number of layers.
    fn round(&mut self, roots: &[u32], layer_offsets: &mut Vec<u32>) -> Result<u32, Self::Error>;

    /// Joins the trees of `heads` along all edges between unreached vertices; see [`join`].
    fn join_unreached(&self, left: &[u32], heads: &mut [u32]) -> Result<(), Self::Error>;

    /// Returns the smallest source of an edge to each of these vertices, or the vertex itself if it has no in-edges.
    fn smallest_sources(&self, left: &[u32]) -> Result<Vec<u32>, Self::Error>;
}

/// Joins the union-find trees of two vertices. The smaller head becomes the head of both. `heads[v]` is the parent of `v`.
pub fn join(heads: &mut [u32], a: u32, b: u32) {
    let (a, b) = (head_of(heads, a), head_of(heads, b));
    heads[a.max(b) as usize] = a.min(b);
}

/// Returns the head (the root) of a union-find tree. Halves the path to the head (path halving).
fn head_of(heads: &mut [u32], mut index: u32) -> u32 {
    while heads[index as usize] != index {
        heads[index as usize] = heads[heads[index as usize] as usize];
        index = heads[index as usize];
    }
    index
}
